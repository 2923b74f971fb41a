# in_empty_folder.sh FOLDER COMMAND [ARGUMENT...]
set -eu
folder=$1
shift
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
exec "$@"
