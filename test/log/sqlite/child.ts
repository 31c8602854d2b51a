/**
 * Another process on a log's file. The first argument is the command, the second the file.
 *
 * - `race <file> <stream> <n>`: appends n events to one stream against other processes, and prints each revision it got
 * - `endless <file>`: appends to many streams at once until it is killed, and prints each written `stream revision`
 * - `on-request <file> <stream>`: appends an event with the current time for each line on stdin
 * - `leave <file>`: subscribes, leaves the loop and closes the log; then the process must end by itself
 *
 * @module
 */
import { createInterface } from 'node:readline'
import { anEvent, aStream } from '../../../rigs/contract/events.ts'
import type { StreamName } from '../../../src/domain/ids.ts'
import { WrongExpectedRevision } from '../../../src/log/event-log.ts'
import { append } from '../../../src/log/execute.ts'
import { openSqliteLog } from '../../../src/log/sqlite/log.ts'

const [task, path, ...rest] = process.argv.slice(2)
const log = openSqliteLog(path!)
const say = (line: string) => process.stdout.write(`${line}\n`)

async function race(stream: StreamName, n: number): Promise<void> {
  let last = -1
  for (let written = 0; written < n; ) {
    try {
      last = (await append(log, stream, last, [anEvent(`${process.pid}`)])).revision
      say(`${last}`)
      written++
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error
      last = (await log.readStream(stream, last + 1)).at(-1)?.revision ?? last
    }
  }
}

async function endless(): Promise<void> {
  const stream = aStream()
  for (let last = -1; ; ) {
    last = (await append(log, stream, last, [anEvent(), anEvent()])).revision
    say(`${stream} ${last}`)
  }
}

async function onRequest(stream: StreamName): Promise<void> {
  let last = -1
  for await (const _ of createInterface({ input: process.stdin })) {
    last = (await append(log, stream, last, [anEvent(`${Date.now()}`)])).revision
  }
}

async function leave(): Promise<void> {
  for await (const _ of log.subscribe(null, { signal: new AbortController().signal })) break
}

if (task === 'race') await race(rest[0] as StreamName, Number(rest[1]))
else if (task === 'endless') await Promise.all(Array.from({ length: 16 }, endless))
else if (task === 'on-request') await onRequest(rest[0] as StreamName)
else if (task === 'leave') await leave()
else throw new Error(`no task ${task}`)
await log.close()
