/**
 * The processes of this machine, by `ps`.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'

export type Process = {
  readonly pid: number
  readonly parent: number
  readonly command: string
  /** it has ended, and its parent has not noticed */
  readonly isZombie: boolean
}

/** All that run. */
export const processes = (): Process[] => allProcesses().filter(({ isZombie }) => !isZombie)

/** Those that have ended too, until their parent has noticed. */
export function allProcesses(): Process[] {
  const rows = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,state=,args='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return rows.split('\n').flatMap((row) => {
    const [, pid, parent, state, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? []
    const isZombie = state?.startsWith('Z') ?? false
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command, isZombie }]
  })
}

/** Those that a process has started, and those that they have started. */
export function belowOf(pid: number, all = processes()): Process[] {
  const own = all.filter(({ parent, command }) => parent === pid && !/^ps -A/.test(command))
  return [...own, ...own.flatMap((child) => belowOf(child.pid, all))]
}

/** Whose command line has a text, wherever they hang. */
export const mentioning = (text: string): Process[] =>
  processes().filter(({ command }) => command.includes(text))

/** The processes of pages, below a process. */
export const renderersOf = (pid: number): number[] =>
  belowOf(pid)
    .filter(({ command }) => / --type=renderer /.test(command))
    .map((process) => process.pid)

/** The folders of the browsers below a process. */
export const foldersOf = (pid: number): string[] => [
  ...new Set(
    belowOf(pid).flatMap(({ command }) => /--user-data-dir=(\S+)\/profile/.exec(command)?.[1] ?? []),
  ),
]
