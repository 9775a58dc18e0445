# Leads the group of the benchmark's processes until standard input ends, and ends them all then.
#
# The benchmark holds the other end of the pipe and never writes into it: however it ends, be it by
# SIGKILL, the pipe ends with it. What these processes have started is of the same group.
trap '' HUP INT TERM
read -r _
kill -TERM 0
sleep 0.5
kill -KILL 0
