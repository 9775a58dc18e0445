# Runs the server given as arguments after the first four, as long as it is wanted.
#
# Whoever uses it holds the lock. It is wanted no longer when the lock is free and nobody has had it
# for some seconds; at once when the lock is free and the server was never registered, as one whose
# starter was killed; and at once when there is a file `stop`, whoever holds the lock.
#
# A server that ends while there is a file `pause` is started again when that is gone.
folder=$1
lock=$2
registration=$3
seconds=$4
shift 4
exec 9<"$lock"

run() {
    "$@" </dev/null 9<&- &
    server=$!
    echo "$server" >"$folder/process"
}

run "$@"

is_registered() {
    read -r _ registered <"$registration" && [ "$registered" = "$folder" ]
}

(
    # A server that ended by itself has given its number back: nobody else must get the signal.
    while [ ! -e "$folder/exited" ] && [ ! -e "$folder/stop" ]; do
        flock -w 0.5 9 || continue
        is_registered || break
        [ $(($(date +%s) - $(stat -c %Y "$lock"))) -ge "$seconds" ] && break
        flock -u 9
        sleep 0.5
    done
    # It is not started again from here on; one that is just being started sees this.
    : >"$folder/stop"
    # Its data are worth nothing, so it is not asked to end.
    [ -e "$folder/exited" ] || kill -KILL "$(cat "$folder/process")"
    if is_registered; then
        rm -f "$registration"
    fi
) 2>/dev/null &

while :; do
    wait "$server"
    status=$?
    [ -e "$folder/pause" ] || break
    rm -f "$folder/process"
    while [ -e "$folder/pause" ] && [ ! -e "$folder/stop" ]; do
        sleep 0.05
    done
    [ -e "$folder/stop" ] && break
    run "$@"
    [ -e "$folder/stop" ] && kill -KILL "$server"
done
: >"$folder/exited"
wait
# Whoever waits for its start reads in its log why it ended by itself.
[ "$status" -gt 128 ] || sleep 1
cd / && rm -rf "$folder"
