/**
 * Stores one artifact after the other, and says each ref only when it is durable. Ends by being killed.
 *
 * Arguments: the log's file, the folder.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { openSqliteArtifacts } from '../../src/artifacts/sqlite.ts'
import { newRunId } from '../../src/domain/ids.ts'
import { openSqliteLog } from '../../src/log/sqlite.ts'

const [path, folder] = process.argv.slice(2)
const log = openSqliteLog(path!)
const artifacts = openSqliteArtifacts({ log, folder: folder!, now: Date.now })
for (let i = 0; ; i++) {
  const run = newRunId(Date.now(), randomBytes(10))
  const body = randomBytes(i % 2 === 0 ? 1000 : 200_000)
  const { ref, sha256, done } = artifacts.put(run, 'result', body, Date.now() + 86_400_000)
  await done
  process.stdout.write(`${ref} ${sha256}\n`)
}
