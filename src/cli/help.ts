/**
 * Help, made from the declarations of the commands.
 *
 * @module
 */

import { columns } from './columns.ts'
import type { Command } from './command.ts'

/** What `gleaner --help` says. */
export function overview(commands: readonly Command[]): string {
  const rows = commands.map(({ name, operands, about }) => [`  ${usage(name, operands)}`, about])
  return `Gleaner, a data-extraction run service.

Usage: gleaner <command> [options]

${columns(rows)}
gleaner <command> --help tells more. Settings come from the environment; see docs/operations.md.
Exit codes: 0 it worked, 1 it did not, 2 the line was not understood.
`
}

/** What `gleaner <command> --help` says. */
export function helpOf({ name, about, operands, options, details }: Command): string {
  const rows = Object.entries({ ...options, help: HELP }).map(([option, { value, about }]) => [
    `  --${usage(option, value ?? '')}`,
    about,
  ])
  const more = details ? `\n${details}\n` : ''
  return `${about}

Usage: gleaner ${usage(name, operands)} [options]

${columns(rows)}${more}`
}

const HELP = { value: undefined, about: 'Shows this.' }

const usage = (name: string, rest: string): string => (rest ? `${name} ${rest}` : name)
