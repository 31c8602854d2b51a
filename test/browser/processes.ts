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
  /** ended, and not yet reaped by its parent */
  readonly isZombie: boolean
}

/** All running processes. */
export const processes = (): Process[] => allProcesses().filter(({ isZombie }) => !isZombie)

/** All processes, including zombies. */
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

/** All descendants of a process. */
export function belowOf(pid: number, all = processes()): Process[] {
  const own = all.filter(({ parent, command }) => parent === pid && !/^ps -A/.test(command))
  return [...own, ...own.flatMap((child) => belowOf(child.pid, all))]
}

/** The processes whose command line contains a text, whatever their parent. */
export const mentioning = (text: string): Process[] =>
  processes().filter(({ command }) => command.includes(text))

/** The renderers below a process: one for each page. */
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
