/** The S3 store on Deno. */
import { expect, test } from 'bun:test'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../support/temporary.ts'
import { testBucketUrl } from './s3.ts'

const base = temporaryFolder()
const url = await testBucketUrl(base)
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

test('does on Deno what it does on Bun', async () => {
  const deno = at('../../node_modules/.bin/deno')
  const child = spawn(deno, ['run', '-A', '--no-lock', at('./s3-round.ts'), url, base], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DENO_NO_UPDATE_CHECK: '1' },
  })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  expect([code, said]).toEqual([0, 'done\n'])
}, 60_000)
