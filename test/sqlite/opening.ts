/**
 * Opens new SQLite files, one after the other, when a line arrives. Several of these processes run at the same time.
 *
 * Arguments: the folder and the number of files.
 *
 * @module
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { openDatabase } from '../../src/sqlite/open.ts'

const [folder = '', count = '0'] = process.argv.slice(2)
process.stdout.write('ready\n')
await once(process.stdin, 'data')
for (let i = 0; i < Number(count); i++) openDatabase(join(folder, `${i}.db`)).close()
process.exit(0)
