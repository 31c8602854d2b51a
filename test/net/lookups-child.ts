/** Run by lookups.test.ts where the only name server is this process, which never answers. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { fdatasync, openSync, writeSync } from 'node:fs'
import { cpus } from 'node:os'
import { promisify } from 'node:util'
import { addressesOf } from '../../src/net/connection/checked-connect.ts'

const server = createSocket('udp4')
server.bind(53, '127.0.0.1')
await once(server, 'listening')
const file = openSync(process.argv[2] ?? '', 'w')
const lookups = Array.from({ length: 4 * cpus().length + 4 }, (_, i) =>
  addressesOf(`host${i}.example.org`, {}).then(
    () => 'answered',
    () => 'failed',
  ),
)
// All of them are on their way.
await once(server, 'message')
writeSync(file, 'x')
const synced = promisify(fdatasync)(file).then(() => 'synced')
process.stdout.write(await Promise.race([synced, ...lookups]))
process.exit()
