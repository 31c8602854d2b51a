// A subscriber that keeps a billing file: one line for each ledger entry, each exactly once, however often this
// program is killed. Runs on Node, Bun and Deno.
//
//   GLEANER_URL=http://127.0.0.1:3000 GLEANER_API_KEY=gln_… node subscriber.mjs ledger.ndjson
//
// The key needs the scope "events". The position and what was made of the events are one file, replaced in one step,
// so both are always from the same moment.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const { GLEANER_URL = 'http://127.0.0.1:3000', GLEANER_API_KEY } = process.env
const file = process.argv[2] ?? 'ledger.ndjson'
const SIGNS = { 'gleaner.CreditsGranted': 1, 'gleaner.CreditsCharged': -1, 'gleaner.CreditsRefunded': 1 }
const TYPES = 'CreditsGranted,CreditsCharged,CreditsRefunded'

// The first line is where we are, all others are what we have.
let [position, ...entries] = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : ['']

for (;;) {
  // Undefined when the connection could not be made or broke: nothing is lost, we go on from where we are.
  const page = await read().catch(() => undefined)
  if (page && page.status !== 200 && page.status !== 429 && page.status < 500) {
    throw new Error(`${page.status}: ${page.body.detail}`)
  }
  if (page?.status !== 200) {
    await wait(page?.body.retry_after_s ?? 1)
    continue
  }
  const { events, next_after, caught_up } = page.body
  for (const { id, time, type, data } of events) {
    entries.push(JSON.stringify({ id, time, type, run_id: data.run_id, amount: SIGNS[type] * data.amount }))
  }
  if (next_after !== position) {
    position = next_after
    save()
  }
  if (caught_up) await wait(1)
}

async function read() {
  const query = new URLSearchParams({ types: TYPES, limit: '500', ...(position ? { after: position } : {}) })
  const headers = { authorization: `Bearer ${GLEANER_API_KEY}` }
  const answer = await fetch(`${GLEANER_URL}/v1/events?${query}`, { headers })
  return { status: answer.status, body: await answer.json() }
}

function save() {
  const next = `${file}.next`
  const out = openSync(next, 'w')
  writeFileSync(out, `${[position, ...entries].join('\n')}\n`)
  fsyncSync(out)
  closeSync(out)
  renameSync(next, file)
}

function wait(seconds) {
  return new Promise((done) => setTimeout(done, seconds * 1000))
}
