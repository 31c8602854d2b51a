/**
 * The processes of this machine, by `ps`.
 *
 * @module
 */
import { execFileSync } from 'node:child_process'

export type Process = { readonly pid: number; readonly parent: number; readonly command: string }

/** All that run; one that has ended and waits for its parent does not. */
export function processes(): Process[] {
  const rows = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,state=,args='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return rows.split('\n').flatMap((row) => {
    const [, pid, parent, state, command = ''] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(row) ?? []
    return pid === undefined || state?.startsWith('Z')
      ? []
      : [{ pid: Number(pid), parent: Number(parent), command }]
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
