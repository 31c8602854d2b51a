/**
 * Stores one artifact after the other and prints each ref once it is durable. Runs until it is killed.
 *
 * Arguments: the database file, the folder, and `own` when the file is not a log's but holds artifacts only.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { openFolderArtifacts, openSqliteArtifacts } from '../../src/artifacts/sqlite.ts'
import { newRunId } from '../../src/domain/ids.ts'
import { openSqliteLog } from '../../src/log/sqlite/log.ts'

const [path = '', folder = '', kind] = process.argv.slice(2)
const now = Date.now
const artifacts =
  kind === 'own'
    ? openFolderArtifacts({ path, folder, now })
    : openSqliteArtifacts({ log: openSqliteLog(path), folder, now })
for (let i = 0; ; i++) {
  const run = newRunId(Date.now(), randomBytes(10))
  const body = randomBytes(i % 2 === 0 ? 1000 : 200_000)
  const { ref, sha256, done } = artifacts.put(run, 'result', body, Date.now() + 86_400_000)
  await done
  process.stdout.write(`${ref} ${sha256}\n`)
}
