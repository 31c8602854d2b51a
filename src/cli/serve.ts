/**
 * `gleaner serve`: the server.
 *
 * @module
 */
import { ROLES, readConfig } from '../config.ts'
import type { Command } from './command.ts'

export const serve: Command = {
  name: 'serve',
  about: 'Runs the server until SIGTERM or Ctrl-C.',
  operands: '',
  count: [0, 0],
  options: {
    roles: {
      type: 'string',
      value: '<roles>',
      about: `What this process does: ${ROLES.join(', ')}; all by default.`,
    },
  },
  details:
    'It stops admitting, lets running runs go on for SHUTDOWN_GRACE_S, hands the rest back to the queue and ends with\ncode 0. The next start goes on where it stopped.',
  run: ({ io, host, text }) => host.serve(readConfig(io.env, { roles: text('roles') })),
}
