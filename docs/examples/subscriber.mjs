// A subscriber that keeps a billing file: one line for each charge and refund, each exactly once, however often this
// program is killed. Runs on Node, Bun and Deno.
//
//   GLEANER_URL=http://127.0.0.1:3000 GLEANER_KEY=gln_… node subscriber.mjs bookings.ndjson
//
// The key needs the scope "events". What has been handled and how far it got are one file, replaced in one step:
// so both are always of the same moment.
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'

const { GLEANER_URL = 'http://127.0.0.1:3000', GLEANER_KEY } = process.env
const file = process.argv[2] ?? 'bookings.ndjson'
const TYPES = 'CreditsGranted,CreditsCharged,CreditsRefunded'

// The first line is where we are, all others are what we have.
let [position, ...bookings] = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : ['']

for (;;) {
  const query = new URLSearchParams({ types: TYPES, limit: '500', ...(position ? { after: position } : {}) })
  const answer = await fetch(`${GLEANER_URL}/v1/events?${query}`, {
    headers: { authorization: `Bearer ${GLEANER_KEY}` },
  }).catch(() => undefined)
  if (!answer || answer.status === 429 || answer.status >= 500) {
    // Away, busy or shutting down: nothing is lost, we go on from where we are.
    await wait(Number(answer?.headers.get('retry-after') ?? 1))
    continue
  }
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  const { events, next_after, caught_up } = await answer.json()
  for (const { id, time, type, data } of events) {
    bookings.push(JSON.stringify({ id, time, type, run_id: data.run_id, amount: data.amount }))
  }
  if (next_after !== position) {
    position = next_after
    save()
  }
  if (caught_up) await wait(1)
}

function save() {
  const next = `${file}.next`
  const out = openSync(next, 'w')
  writeSync(out, `${[position, ...bookings].join('\n')}\n`)
  fsyncSync(out)
  closeSync(out)
  renameSync(next, file)
}

function wait(seconds) {
  return new Promise((done) => setTimeout(done, seconds * 1000))
}
