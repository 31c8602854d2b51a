/** Lookups of names, with a name server that does not answer. */
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../rigs/support/temporary.ts'

/** Runs a command as the root of its own network, in which `resolv.conf` names only this machine. */
const apart = (resolv: string, command: readonly string[]) =>
  spawnSync(
    'unshare',
    [
      '-Urmn',
      'sh',
      '-ec',
      'ip link set lo up; mount --bind "$0" /etc/resolv.conf; exec "$@"',
      resolv,
      ...command,
    ],
    { encoding: 'utf8' },
  )
const folder = temporaryFolder()
const resolv = join(folder, 'resolv.conf')
writeFileSync(resolv, 'nameserver 127.0.0.1\n')
const canBeApart = apart(resolv, ['true']).status === 0

// Otherwise anybody with a domain of their own could hold up all commits of the log.
test.skipIf(!canBeApart)(
  'a name server that does not answer holds up no write to the disk',
  () => {
    const child = join(import.meta.dirname, 'lookups-child.ts')
    const { stdout, stderr } = apart(resolv, [process.execPath, child, join(folder, 'synced')])
    expect({ stdout, stderr }).toEqual({ stdout: 'synced', stderr: '' })
  },
  60_000,
)
