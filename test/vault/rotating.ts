/**
 * Rotates the keys of a vault step by step: before each call of the store it prints a line and waits for one.
 *
 * Arguments: the data folder; VAULT_KEY and VAULT_KEY_OLD, where they are set.
 *
 * @module
 */
import { createInterface } from 'node:readline'
import type { VaultObjects } from '../../src/vault/objects.ts'
import { objectsIn, vaultIn } from './parts.ts'

const [dataDir = '', vaultKey = null, vaultKeyOld = null] = process.argv.slice(2)
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

const stepwise = new Proxy(objectsIn(dataDir), {
  get(objects, name: keyof VaultObjects) {
    return async (...args: never[]) => {
      process.stdout.write(`${name}\n`)
      await lines.next()
      return (objects[name] as (...args: never[]) => unknown)(...args)
    }
  },
})
await vaultIn(dataDir, { vaultKey, vaultKeyOld }, stepwise).rotate()
process.stdout.write('rotated\n')
process.exit(0)
