/**
 * What keeps a child apart from the service and from other children: namespaces of Linux, by the tools of util-linux,
 * as far as the system lets an ordinary user have them.
 *
 * @module
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * How far children are kept apart. Each level has what the ones after it have.
 *
 * - `files`: the service's data folder is empty for them, but for their own part
 * - `processes`: whatever they start ends with them, however they end; they can signal no other process
 * - `memory`: they can't read environment and memory of any other process, whoever started it
 * - `none`: they can do what the service's user can
 */
export type IsolationLevel = 'files' | 'processes' | 'memory' | 'none'

/** A user namespace of its own: nothing outside of it lets itself be read. A process namespace: its end ends all in it. */
const APART = ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--kill-child=KILL']
/** Being root in a namespace is for its making alone. */
const POWERLESS = ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--']
/** Ends what stands after it with the process that starts it. */
export const WITH_PARENT = ['setpriv', '--pdeathsig', 'KILL', '--']
/**
 * $1: what is hidden, $2: the folder in it that stays. `-c`: the path leads to what lay there before. So is the `.env` file
 * that the service may have read its settings from.
 */
const HIDE = `if [ -f .env ]; then mount --bind /dev/null .env; fi && exec 9<"$2" && mount -t tmpfs -o size=64k,mode=700 hidden "$1" && mkdir -p "$2" &&
mount -c --bind /proc/self/fd/9 "$2" && exec 9<&- && shift 2 && exec "$@"`

/**
 * The command that starts another one in isolation: what stands before that one.
 *
 * @param folder of the child: all that is left of `hidden`
 * @param hidden what the child must not see
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

/** Whether a child's end is the end of all that it has started, and its service's end is its own. */
export const endsWhole = (level: IsolationLevel): boolean => level === 'files' || level === 'processes'

const LEVELS = ['files', 'processes', 'memory'] as const
const PROBE_MS = 5000
let found: IsolationLevel | undefined

/** The best level that this system has. It is tried out once, which takes some milliseconds. */
export function isolationLevel(): IsolationLevel {
  found ??= process.platform === 'linux' ? (LEVELS.find(works) ?? 'none') : 'none'
  return found
}

/** Whether this system can end a process with the one that started it. */
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
 * The process that an isolated command runs as. `unshare` stays before it when it makes a process namespace.
 *
 * @param pid of what was started
 */
export function processIn(level: IsolationLevel, pid: number): number {
  if (!endsWhole(level)) return pid
  try {
    const inner = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
    return Number(inner.split(' ')[0]) || pid
  } catch {
    return pid
  }
}
