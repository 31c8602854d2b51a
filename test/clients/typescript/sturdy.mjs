// A program that waits, streams, pages and downloads at once, while its service is killed. It prints `first` and
// `second` when it is in the middle of them, and its results as JSON at the end.
import { createHash } from 'node:crypto'
import { Gleaner } from 'gleaner-client'

const [, , url, apiKey, shelf] = process.argv
const resumed = new Set()
const gleaner = new Gleaner({
  url,
  apiKey,
  fetch(address, init) {
    for (const name of ['range', 'last-event-id']) {
      if (init.headers.has(name))
        resumed.add(`${name} ${new URL(address).pathname.replace(/run_\w+/, 'run')}`)
    }
    return fetch(address, init)
  },
})

const stop = new AbortController()
const feed = []
const streaming = (async () => {
  for await (const { id, type, data } of gleaner.events({ signal: stop.signal })) {
    if (type === 'gleaner.KeyCreated' && data.name === 'the end') break
    feed.push(id)
  }
})()

const waited = await gleaner.start('book.pages', { shelf, ms: 1000 })
const waiting = waited.wait()
const following = (async () => {
  const types = []
  for await (const { type } of waited.events()) types.push(type)
  return types
})()

const { artifacts, run_id } = await gleaner.run('book.file', { bytes: 20_000_000 })
const reader = (await gleaner.runs.download(run_id, artifacts[0].name)).body.getReader()
const hash = createHash('sha256')
hash.update((await reader.read()).value)

const numbers = []
for await (const { n } of gleaner.items('book.pages', { shelf, ms: 200 })) {
  numbers.push(n)
  if (n === 0) console.log('first')
  if (n === 11) console.log('second')
}
for (let part = await reader.read(); !part.done; part = await reader.read()) hash.update(part.value)
const status = (await waiting).run_status
const types = await following
console.log('all but the feed')
await streaming

console.log(
  JSON.stringify({
    numbers,
    file: hash.digest('hex') === artifacts[0].sha256,
    status,
    types: types.filter((type) => !/Progressed|Requeued|Started/.test(type)),
    resumed: [...resumed].sort(),
    feed,
  }),
)
