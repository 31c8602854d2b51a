/** The programs on the page of a webhook receive and verify deliveries as pasted, with the clients. */
import { expect, test } from 'bun:test'
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nextTurn } from '../../src/async/delay.ts'
import { RECEIVERS } from '../../src/console/account/webhooks/receivers.ts'
import { newSecret, signatureHeaders } from '../../src/webhooks/sign.ts'
import { ROOT } from '../servers/server.ts'
import { hasPython } from '../support/python.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { freePort, type Kind, kindsOf, startProgram } from './receivers.ts'

/** A folder with both clients, as the page says. */
function placeWithClients(): string {
  const place = temporaryFolder()
  mkdirSync(join(place, 'node_modules'))
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }')
  symlinkSync(join(ROOT, 'clients', 'typescript'), join(place, 'node_modules', 'gleaner-client'))
  copyFileSync(join(ROOT, 'clients', 'python', 'gleaner.py'), join(place, 'gleaner.py'))
  return place
}

const kinds = kindsOf('deno')
const onBun = kinds.find(({ name }) => name === 'TypeScript on Bun')!
const inPython = kinds.find(({ name }) => name === 'Python')!

const receives = (kind: Kind, code: string) => async () => {
  const secret = newSecret()
  const program = await startProgram(kind, {
    place: placeWithClients(),
    port: await freePort(),
    secret,
    code,
  })
  try {
    const event = { id: 'evt-1', type: 'gleaner.RunSucceeded', data: { run_id: 'run_1' } }
    const body = JSON.stringify(event)
    const send = async (by: string) => {
      const headers = signatureHeaders([by], event.id, Math.floor(Date.now() / 1000), body)
      return (await fetch(program.url, { method: 'POST', headers, body })).status
    }
    expect([await send(newSecret()), await send(secret)]).toEqual([400, 204])
    // Its output arrives after its answer.
    while (program.printed().length === 0) await nextTurn()
    expect(program.printed()[0]).toContain('evt-1 gleaner.RunSucceeded')
  } finally {
    program.stop()
  }
}

test('the program in TypeScript', receives(onBun, RECEIVERS['receiver.ts']))
test.skipIf(!hasPython)('the program in Python', receives(inPython, RECEIVERS['receiver.py']))
