# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# machine.sh - one machine of a run: QEMU's arguments, and what is asked of it
# while it runs. Part of run, whose options it reads.
#
# A machine's folder $tmp/HOST has what comes out: stdout, stderr, ship (a tar:
# the job's exit status and $OUT), console, qemu.log; and ctl.in, which init
# reads.
# shellcheck disable=SC2154 # run's variables

# machine_args HOST: sets args
machine_args()
{
	local dir=$tmp/$1 port words end=server=off
	mkdir "$dir"
	mkfifo "$dir/ctl.in" "$dir/ctl.out"
	touch "$dir/stdout" "$dir/stderr" "$dir/console"
	# The ciphers' self-tests are a third of the boot.
	words="console=ttyS0 panic=-1 mitigations=off tsc=reliable cryptomgr.notests=1 vm.host=$1"
	args=(-nodefaults -no-user-config -display none -no-reboot -m "$memory" -smp "$cpus"
		-kernel "$image" -initrd "$tmp/initrd"
		# Output is taken in the instant that the machine writes it.
		-device "virtio-serial-pci,ioeventfd=off")
	for port in stdout stderr ship; do
		args+=(-chardev "file,id=$port,path=$dir/$port"
			-device "virtserialport,chardev=$port,name=$port")
	done
	args+=(-chardev "pipe,id=ctl,path=$dir/ctl" -device "virtserialport,chardev=ctl,name=ctl")
	if [ "$shell" ]; then
		args+=(-chardev "stdio,id=console,signal=off,mux=on" -mon "chardev=console,mode=readline")
	else
		args+=(-chardev "file,id=console,path=$dir/console")
	fi
	args+=(-serial "chardev:console")
	if [ "$kvm" ]; then
		args+=(-accel kvm -cpu host)
	elif [ "$counted" ]; then
		# With the same bits in, down to the date, the same figures come out.
		args+=(-accel "tcg,thread=single" -icount "shift=1,sleep=off" -cpu max
			-seed "$seed" -rtc "base=2026-01-01T00:00:00,clock=vm")
		words+=" nokaslr"
	else
		args+=(-accel "tcg,thread=multi" -cpu max)
	fi
	if [ "$pair" ]; then
		[ "$1" != 1 ] || end=server=on
		args+=(-netdev "stream,id=net,$end,addr.type=unix,addr.path=$tmp/wire"
			-device "virtio-net-pci,netdev=net,mac=52:54:00:00:00:0$1")
		[ "$1" != 1 ] || end+=,wait=off
		args+=(-chardev "socket,id=meet,path=$tmp/meet,$end"
			-device "virtserialport,chardev=meet,name=meet")
	fi
	args+=(-append "$words $append")
}

# machine_start HOST; it ends with us, however we end.
machine_start()
{
	local args
	machine_args "$1"
	setpriv --pdeathsig KILL qemu-system-x86_64 "${args[@]}" </dev/null >"$tmp/$1/qemu.log" 2>&1 &
	qemus[$1]=$!
	disown $!	# or the shell reports when it is killed
}

machine_runs() { kill -0 "${qemus[$1]}" 2>/dev/null; }
machine_came_up() { grep -aq '^vm: job starts' "$tmp/$1/console"; }
machine_was_told() { grep -aq '^vm: the host says' "$tmp/$1/console"; }

# machine_tell HOST WHY: end the job, bring out what there is.
machine_tell() { echo "$2" 1<>"$tmp/$1/ctl.in"; }

# machine_status HOST: prints the job's exit status; fails before all of it came.
machine_status()
{
	tar -tf "$tmp/$1/ship" >/dev/null 2>&1 && tar -xOf "$tmp/$1/ship" status 2>/dev/null
}

# machine_show HOST LINES: the end of its console, on stderr
machine_show()
{
	say "the console of host $1:"
	{ cat "$tmp/$1/qemu.log"; tail -n "$2" "$tmp/$1/console"; } | tr -d '\r\033' | sed "s/^/vm$1| /" >&2
}

# machine_keep HOST: what came out, to --out
machine_keep()
{
	local to=$out/ file
	[ ! "$pair" ] || to=$out/$1.
	cp "$tmp/$1/console" "${to}console.log"
	for file in stdout stderr; do
		cp "$tmp/$1/$file" "$to$file"
	done
	to=$out
	[ ! "$pair" ] || to=$out/$1
	mkdir -p "$to"
	# Its clock is another: these files are new.
	[ ! -s "$tmp/$1/ship" ] || tar -x -m -f "$tmp/$1/ship" -C "$to" --no-same-owner \
		--strip-components=1 out 2>/dev/null
}
