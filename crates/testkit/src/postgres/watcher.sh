# Runs the server given as arguments after the folder, until standard input ends.
#
# The process that starts this holds the other end of the pipe and never writes into it: however it
# ends, be it by SIGKILL, the pipe ends with it. Then the server is stopped and its folder removed.
folder=$1
shift
exec 3<&0

"$@" </dev/null 3<&- &
server=$!

(
    read -r _ <&3
    # A server that ended by itself has given its number back: nobody else must get the signal.
    [ -e "$folder/exited" ] && exit
    # SIGINT is PostgreSQL's fast shutdown; a pooler would wait for its clients.
    kill -"${STOP_SIGNAL:-INT}" "$server"
    tenths=0
    while kill -0 "$server" && [ "$tenths" -lt 100 ]; do
        sleep 0.1
        tenths=$((tenths + 1))
    done
    [ -e "$folder/exited" ] || kill -KILL "$server"
) 2>/dev/null &

wait "$server"
: >"$folder/exited"
read -r _ <&3
wait
cd / && rm -rf "$folder"
