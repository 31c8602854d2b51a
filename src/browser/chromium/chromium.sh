# Runs Chromium and removes its folder when it has ended, also when what had started it is no more.
#
#   sh chromium.sh <folder> <chromium> <flags>
folder=$1
shift
"$@"
status=$?
# Its other processes end a moment after it, and may write until then.
tries=0
while sleep 0.1; rm -rf -- "$folder" 2>/dev/null; [ -e "$folder" ] && [ "$tries" -lt 50 ]; do
  tries=$((tries + 1))
done
exit $status
