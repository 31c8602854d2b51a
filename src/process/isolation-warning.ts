/**
 * What plugins can reach where this system cannot isolate them, and what to do about it.
 *
 * @module
 */
import { type IsolationLevel, isolationLevel } from './isolation.ts'

const LACKS: Readonly<Record<Exclude<IsolationLevel, 'files'>, string>> = {
  processes: 'Plugins can read the data folder: this system cannot hide it from them',
  memory: 'Plugins can read the data folder, and processes that they start may outlive them',
  none: 'Plugins can read the data folder, and the settings in the environment of this process',
}

const ADVICE =
  'user namespaces (the tools unshare and setpriv) are missing or forbidden. In a container, use seccomp.json of this project; elsewhere, see "What plugins can reach" in docs/operations.md'

/** What plugins can reach, and what to do; undefined if they are isolated in full. */
export function lackOfIsolation(level: IsolationLevel = isolationLevel()): string | undefined {
  return level === 'files' ? undefined : `${LACKS[level]}; ${ADVICE}.`
}

/** Logs one warning if plugins are not isolated in full. @param level of this system by default */
export function warnWithoutIsolation(
  logger: { warn(fields: object, message: string): void },
  level: IsolationLevel = isolationLevel(),
): void {
  const lack = lackOfIsolation(level)
  if (lack !== undefined) logger.warn({ isolation: level }, lack)
}
