/**
 * Saves one state on a signal and prints its ref and content.
 *
 * Arguments: the data folder, the account.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AccountId } from '../../src/domain/ids.ts'
import { vaultIn } from './parts.ts'

const [dataDir = '', account = ''] = process.argv.slice(2)
const vault = vaultIn(dataDir)
process.stdout.write('ready\n')
await once(process.stdin, 'data')
const state = randomBytes(10).toString('hex')
const ref = await vault.save(account as AccountId, 'photo', state)
process.stdout.write(`${ref} ${state}\n`)
await vault.close()
