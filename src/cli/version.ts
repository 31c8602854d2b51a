/**
 * `gleaner version`.
 *
 * @module
 */
import { runtimeOf, versionOf } from '../version.ts'
import { type Command, OK } from './command.ts'

export const version: Command = {
  name: 'version',
  about: 'Shows the version of Gleaner and of what runs it.',
  operands: '',
  count: [0, 0],
  options: {},
  async run({ io }) {
    io.out(`gleaner ${versionOf()} (${runtimeOf()}, ${process.platform} ${process.arch})\n`)
    return OK
  },
}
