/**
 * What tells a sweep what has expired: notes in the bucket, apart from the artifacts, whose keys begin with the time,
 * so that those that are due come first in a list, however many there are.
 *
 * A note names up to 100 artifacts: those that are put at once share one. No artifact counts as stored without its
 * note. A crash in between leaves a note without an artifact, which a sweep drops, or an artifact that nothing names,
 * which is what the bucket's own rule is for.
 *
 * What an object says itself is what counts: when it was put again and lives longer, there is a later note. Sweeps of
 * several workers may meet at one note: deleting twice is deleting, and what is left of a note has one name, whoever
 * writes it. Of an artifact that is put anew by one process in the very moment in which another deletes it as expired
 * nothing may stay; nothing that is named by an event is put after it expired.
 *
 * @module
 */
import { randomUUID } from 'node:crypto'
import { parseRef } from './refs.ts'
import type { S3Client } from './s3-client.ts'
import type { S3Objects } from './s3-objects.ts'
import { elementsOf } from './s3-xml.ts'

/** That an artifact expires, and when that was noted: milliseconds since 1970. */
type Entry = { readonly ref: string; readonly expiresAt: number; readonly notedAt: number }
/** A note's key is `<when the first of it expires>/<how many it names>-<id>`. */
type Note = { readonly key: string; readonly dueAt: number; readonly entries: number; readonly id: string }

type Waiting = { readonly entry: Entry; readonly done: () => void; readonly failed: (error: unknown) => void }

const NOTE_ENTRIES = 100
/** Notes on their way at once; what comes meanwhile shares the next ones. */
const WRITING = 2
/** How much one sweep looks at, about. */
const SWEEP_ENTRIES = 200
const LIST_NOTES = 200
/** Requests of a sweep at once. */
const AT_ONCE = 16
/** An artifact that is noted may still be on its way, in milliseconds. */
const ON_ITS_WAY_MS = 600_000
const DIGITS = 15

/** A sweep's requests are tried for so long, in milliseconds: nobody waits for them. */
const SWEEP_MS = 8000

export class S3Expiry {
  private waiting: Waiting[] = []
  private writing = 0
  private armed = false

  /** @param isBusy whether this process is writing an artifact right now */
  constructor(
    private readonly objects: S3Objects,
    private readonly prefix: string,
    private readonly now: () => number,
    private readonly isBusy: (ref: string) => boolean,
  ) {}

  /** Notes when an artifact expires; it is noted once this resolves. */
  note(ref: string, expiresAt: number): Promise<void> {
    return new Promise((done, failed) => {
      this.waiting.push({ entry: { ref, expiresAt, notedAt: this.now() }, done, failed })
      if (this.armed) return
      this.armed = true
      // What is put in the same turn shares a note.
      setImmediate(() => {
        this.armed = false
        this.send()
      })
    })
  }

  /**
   * Deletes artifacts that have expired, some hundreds at most.
   *
   * @param deleted told of each
   * @returns how many; 0 when nothing that has expired is left
   */
  async sweep(now: number, deleted: (ref: string) => void): Promise<number> {
    for (;;) {
      const notes = await this.dueNotes(now)
      let count = 0
      for (let i = 0; i < notes.length; i += AT_ONCE) {
        const settled = notes.slice(i, i + AT_ONCE).map((note) => this.settle(note, now, deleted))
        for (const some of await Promise.all(settled)) count += some
      }
      // Notes that nothing came of are gone or later now: the next ones may bring more.
      if (count > 0 || notes.length === 0) return count
    }
  }

  /** The first notes that are due, as many as a sweep looks at. */
  private async dueNotes(now: number): Promise<Note[]> {
    const query = { 'list-type': '2', prefix: this.notePrefix, 'max-keys': String(LIST_NOTES) }
    const { body } = await this.client.send({ method: 'GET', query, limitMs: SWEEP_MS })
    const due: Note[] = []
    let entries = 0
    for (const key of elementsOf(new TextDecoder().decode(body), 'Key')) {
      const note = this.parseNote(key)
      if (!note) continue
      entries += note.entries
      if (note.dueAt > now || (due.length > 0 && entries > SWEEP_ENTRIES)) break
      due.push(note)
    }
    return due
  }

  /** Deletes what a note names and writes anew what is left of it. @returns how many were deleted */
  private async settle(note: Note, now: number, deleted: (ref: string) => void): Promise<number> {
    const { body, status } = await this.client.send({
      method: 'GET',
      key: note.key,
      accepts: [404],
      limitMs: SWEEP_MS,
    })
    // Another worker was faster.
    if (status === 404) return 0
    let count = 0
    const left: Entry[] = []
    const entries = parseEntries(new TextDecoder().decode(body))
    for (let i = 0; i < entries.length; i += AT_ONCE) {
      const some = entries.slice(i, i + AT_ONCE)
      const ends = await Promise.all(some.map((entry) => this.expire(entry, now)))
      for (const [j, end] of ends.entries()) {
        const entry = some[j] as Entry
        if (end === 'left') left.push(entry)
        if (end !== 'deleted') continue
        count++
        deleted(entry.ref)
      }
    }
    if (left.length > 0) {
      const dueAt = Math.min(
        ...left.map(({ expiresAt }) => (expiresAt > now ? expiresAt : now + ON_ITS_WAY_MS)),
      )
      await this.write(this.noteKey(dueAt, left.length, note.id), left)
    }
    await this.client.send({ method: 'DELETE', key: note.key, accepts: [404], limitMs: SWEEP_MS })
    return count
  }

  private async expire(entry: Entry, now: number): Promise<'deleted' | 'left' | 'gone'> {
    const { ref, expiresAt, notedAt } = entry
    if (expiresAt > now || this.isBusy(ref)) return 'left'
    const head = await this.objects.head(ref, SWEEP_MS)
    if (!head) return now - notedAt < ON_ITS_WAY_MS ? 'left' : 'gone'
    // It was put again since: a later note names it.
    if (head.expiresAt > now && head.expiresAt !== Number.POSITIVE_INFINITY) return 'gone'
    await this.objects.remove(ref, SWEEP_MS)
    return 'deleted'
  }

  private send(): void {
    while (this.writing < WRITING && this.waiting.length > 0) {
      const some = this.waiting.splice(0, NOTE_ENTRIES)
      const entries = some.map(({ entry }) => entry)
      const dueAt = Math.min(...entries.map(({ expiresAt }) => expiresAt))
      this.writing++
      this.write(this.noteKey(dueAt, entries.length, randomUUID()), entries)
        .then(
          () => {
            for (const { done } of some) done()
          },
          (error) => {
            for (const { failed } of some) failed(error)
          },
        )
        .finally(() => {
          this.writing--
          this.send()
        })
    }
  }

  private async write(key: string, entries: readonly Entry[]): Promise<void> {
    const text = entries.map(({ ref, expiresAt, notedAt }) => `${expiresAt} ${notedAt} ${ref}\n`).join('')
    const headers = { 'content-type': 'text/plain' }
    await this.client.send({ method: 'PUT', key, headers, body: Buffer.from(text) })
  }

  private get client(): S3Client {
    return this.objects.client
  }

  private get notePrefix(): string {
    return `${this.prefix}expiry/`
  }

  private noteKey(dueAt: number, entries: number, id: string): string {
    const time = String(Math.max(0, Math.floor(dueAt))).padStart(DIGITS, '0')
    return `${this.notePrefix}${time}/${entries}-${id}`
  }

  private parseNote(key: string): Note | undefined {
    const [, time, entries, id] =
      /^(\d{15})\/(\d{1,3})-([0-9a-f-]{36})$/.exec(key.slice(this.notePrefix.length)) ?? []
    if (time === undefined || entries === undefined || id === undefined) return undefined
    return { key, dueAt: Number(time), entries: Number(entries), id }
  }
}

function parseEntries(text: string): Entry[] {
  return text.split('\n').flatMap((line) => {
    const [expiresAt, notedAt, ref] = line.split(' ')
    if (ref === undefined || !parseRef(ref)) return []
    return [{ ref, expiresAt: Number(expiresAt), notedAt: Number(notedAt) }]
  })
}
