/**
 * Isolation of children from the service and from each other: Linux namespaces, created with the tools of util-linux,
 * as far as the system allows them for an ordinary user.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * How strongly children are isolated. Each level includes the levels after it.
 *
 * - `files`: in the service's data folder they see only their own folder
 * - `processes`: all processes that they start end with them, however they end; they can't signal any other process
 * - `memory`: they can't read the environment or memory of any other process, whoever started it
 * - `none`: they can do everything that the service's user can do
 */
export type IsolationLevel = 'files' | 'processes' | 'memory' | 'none'

/** A user namespace: processes outside of it can't be read. A process namespace: its end ends all processes in it. */
const APART = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child=KILL']
/** Drops the root capabilities of the namespace, which only its setup needs. */
const POWERLESS = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--']
/** Prefix of a command: the command's process is killed when its parent ends. */
export const WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--']
/**
 * $1: the hidden folder, $2: the folder in it that stays visible. `-c` keeps mount from canonicalizing the descriptor's
 * path, which would lead into the hidden folder. The `.env` file, from which the service may have read its settings, is
 * hidden too.
 */
const HIDE = `if [ -f .env ]; then mount --bind /dev/null .env; fi && exec 9<"$2" && mount -t tmpfs -o size=64k,mode=700 hidden "$1" && mkdir -p "$2" &&
mount -c --bind /proc/self/fd/9 "$2" && exec 9<&- && shift 2 && exec "$@"`

/**
 * The prefix of a command that runs it in isolation.
 *
 * @param folder the child's own folder, the only part of `hidden` that stays visible
 * @param hidden the folder that the child must not see
 */
export function isolated(level: IsolationLevel, folder: string, hidden: string): readonly string[] {
  switch (level) {
    case 'files':
      return [...WITH_PARENT, ...APART, '--mount', '--', 'sh', '-c', HIDE, 'sh', hidden, folder, ...POWERLESS]
    case 'processes':
      return [...WITH_PARENT, ...APART, '--', ...POWERLESS]
    case 'memory':
      return ['unshare', '--user', '--']
    case 'none':
      return []
  }
}

/** Whether all processes that a child started end with it, and the child ends with the service. */
export const endsWhole = (level: IsolationLevel): boolean => level === 'files' || level === 'processes'

const LEVELS = ['files', 'processes', 'memory'] as const
const PROBE_MS = 5000
let levelHere: IsolationLevel | undefined

/** The strongest level that this system supports. The first call probes it, which takes some milliseconds. */
export function isolationLevel(): IsolationLevel {
  levelHere ??= process.platform === 'linux' ? (LEVELS.find(works) ?? 'none') : 'none'
  return levelHere
}

/** Whether this system can end a process together with its parent. */
export function endsWithParent(): boolean {
  hasSetpriv ??= process.platform === 'linux' && isDone([...WITH_PARENT, 'true'])
  return hasSetpriv
}
let hasSetpriv: boolean | undefined

function isDone([command = '', ...args]: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore', timeout: PROBE_MS }).status === 0
}

function works(level: IsolationLevel): boolean {
  const hidden = mkdtempSync(join(tmpdir(), 'gleaner-isolation-'))
  const folder = mkdtempSync(join(hidden, 'child-'))
  try {
    return isDone([...isolated(level, folder, hidden), 'true'])
  } finally {
    rmSync(hidden, { recursive: true, force: true })
  }
}

/**
 * Whether an isolated command that had begun was ended by SIGKILL, e.g. by the kernel for lack of memory. `unshare` remains
 * as its parent, and reports that signal as a failure of its own (util-linux: "sigprocmask unblock failed").
 *
 * @param signal of the started process
 * @param errors the end of its standard error
 */
export const wasKilled = (signal: string | null, errors: string): boolean =>
  signal === 'SIGKILL' || (endsWhole(isolationLevel()) && /(?:^|\n)unshare: .*\s*$/.test(errors))

/**
 * The pid of the isolated command itself. `unshare` remains as its parent when it creates a process namespace.
 *
 * @param pid of the started process
 */
export function processIn(pid: number): number {
  if (!endsWhole(isolationLevel())) return pid
  try {
    const inner = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return Number(inner.split(' ')[0]) || pid
  } catch {
    return pid
  }
}
