# Runs Chromium and removes its folder after it ends, even when the process that started it is gone.
#
#   sh chromium.sh <folder> <chromium> <flags>
folder=$1
shift
"$@"
status=$?
# Chromium's other processes end a moment later, and may write until then.
tries=0
while sleep 0.1; rm -rf -- "$folder" 2>/dev/null; [ -e "$folder" ] && [ "$tries" -lt 50 ]; do
  tries=$((tries + 1))
done
exit $status
