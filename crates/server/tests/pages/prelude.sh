# The start of each page's script: servers behind the commands, and command lines that are only parsed.
set -euo pipefail
export THALWEG_LISTEN=127.0.0.1:4000
PAGE="$PWD/.thalweg-page"
server= beside= groups= servers=0 copy=

# Without the progress that it prints where its output is no terminal.
curl() { command curl -sS "$@"; }

# Waits until a server says its address, or shows why it ended.
await() {
  local tries=0
  until grep -qsE 'serving (the .*)?at http|GraphQL is at http' "$2"; do
    tries=$((tries + 1))
    if ! kill -0 "$1" 2> /dev/null || [ "$tries" -gt 600 ]; then
      cat "$2" >&2
      echo "the server did not start" >&2
      return 1
    fi
    sleep 0.05
  done
}

launch() {
  servers=$((servers + 1))
  "$@" > "$PAGE/server$servers.log" 2>&1 &
  launched=$!
  await "$launched" "$PAGE/server$servers.log"
}

# Starts a server in place of the last one.
start() {
  stop
  launch "$@"
  server=$launched
}

# Starts a server that runs until the page ends.
start_beside() {
  launch "$@"
  beside="$beside $launched"
}

stop() {
  if [ -n "$server" ]; then
    kill "$server" 2> /dev/null || true
    wait "$server" 2> /dev/null || true
    server=
  fi
}

finish() {
  stop
  for process in $beside; do kill "$process" 2> /dev/null || true; done
  for group in $groups; do kill -- "-$group" 2> /dev/null || true; done
  if [ -n "$copy" ]; then
    cd "$PAGE/.."
    rm -rf "$copy"
  fi
}
trap finish EXIT

must_fail() {
  if (eval "$1"); then
    echo "this has to fail, and succeeded: $1" >&2
    return 1
  fi
}

# The sample shop as `shop.db`, or in a database of PostgreSQL.
sample() {
  if [ $# = 0 ]; then
    start thalweg demo
    stop
  else
    createdb "$1"
    thalweg demo --into "postgres:///$1"
  fi
}

# A JSON Web Token, signed by HS256 with a secret.
token() {
  encode() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
  local text
  text="$(printf '{"alg":"HS256","typ":"JWT"}' | encode).$(printf '%s' "$2" | encode)"
  printf '%s.%s' "$text" "$(printf '%s' "$text" | openssl dgst -sha256 -hmac "$1" -binary | encode)"
}

# What `npm create vite` and `npm install` of the tutorial do, with packages in fixed versions.
tasks_page() {
  node "$PACKAGES/node_modules/create-vite/index.js" tasks-page --template react-ts --no-interactive < /dev/null
  cd tasks-page
  ln -s "$PACKAGES/node_modules" node_modules
}

# Shows the page of the tutorial as Ada to a browser, which ticks boxes.
tasks_in_browser() {
  VITE_TOKEN=$(node ../token.mjs 1) npx vite --port "${1#:}" --strictPort > "$PAGE/vite.log" 2>&1 &
  beside="$beside $!"
  cp "$TASKS_SCRIPT" "$CLIENTS/tasks.mjs"
  node "$CLIENTS/tasks.mjs" "http://localhost$1/" "$CHROMIUM" "$PICTURES"
}

# A copy of an example project, where Node.js finds the packages in the folder above.
example() {
  export GRAPHQL_URL=http://127.0.0.1:4000/graphql
  export VITE_GRAPHQL_URL=$GRAPHQL_URL NEXT_TELEMETRY_DISABLED=1
  copy="${EXAMPLE_PACKAGES:-$PAGE}/copies/$1-$$"
  mkdir -p "$copy"
  tar -c -C "$REPOSITORY/examples/$1" --exclude-from "$REPOSITORY/examples/.gitignore" . | tar -x -C "$copy"
  cd "$copy"
}

# The packages are there already.
npm() {
  if [ "$1" != install ]; then command npm "$@"; fi
}

# The same for Python.
python_packages() {
  ln -s "$PYTHON_PACKAGES" .venv
}

# Serves the built page of an example, and looks at it in a browser. What serves it starts others, which
# all end with their group.
albums_in_browser() {
  local port=$1
  shift
  PORT=${port#:} setsid env "$@" > "$PAGE/page.log" 2>&1 &
  groups="$groups $!"
  cp "$ALBUMS_SCRIPT" "$CLIENTS/albums-$$.mjs"
  if ! node "$CLIENTS/albums-$$.mjs" "http://localhost$port/" "$CHROMIUM" "$GRAPHQL_URL"; then
    cat "$PAGE/page.log" >&2
    return 1
  fi
  rm "$CLIENTS/albums-$$.mjs"
}

# Lets the program parse a command line: `--help` comes last, after every option was parsed.
check_command() {
  rm -f "$PAGE/wrong" "$PAGE/said"
  (
    set +eu
    thalweg() {
      # Without programs in the path, only what the shell has can say so.
      "$PROGRAM" "$@" --help < /dev/null > /dev/null 2>> "$PAGE/said" || : > "$PAGE/wrong"
    }
    command_not_found_handle() { :; }
    PATH=/nonexistent
    eval "$1" > /dev/null 2>&1
  ) < /dev/null || true
  if [ -e "$PAGE/wrong" ]; then
    cat "$PAGE/said" >&2
    echo "in: $1" >&2
    return 1
  fi
}

# Sends an operation to the server.
send() {
  local file=$1
  shift
  curl http://127.0.0.1:4000/graphql -H 'content-type: application/json' "$@" -d "@$file"
}
