/**
 * Media that the attempt before this one had fetched when a restart of the service cut it off: they are copied from its
 * archive, and asked of the source no more.
 *
 * @module
 */
import { type Context, storedFiles, type Zip } from 'gleaner/plugin'
import { counted, type Downloaded, ENDINGS, type Wanted } from './download.ts'

export type Earlier = {
  /** Puts a file into the archive that the earlier one has; undefined when it has not, or not whole. */
  copy(zip: Zip, wanted: Wanted): Promise<Downloaded | undefined>
}

const TYPES = new Map(Object.entries(ENDINGS).map(([type, ending]) => [ending, type]))

/** What the run's earlier attempt has left; nothing when there was none. */
export async function earlierOf(context: Context): Promise<Earlier> {
  const archive = await context.unfinished()
  const files = archive ? await storedFiles(archive) : new Map<string, () => AsyncGenerator<Uint8Array>>()
  const named = new Map([...files.keys()].map((name) => [name.replace(/\.\w+$/, ''), name]))
  return {
    async copy(zip, { name, at, onBytes }) {
      const found = named.get(name)
      const content = found === undefined ? undefined : files.get(found)
      const type = TYPES.get(/\.(\w+)$/.exec(found ?? '')?.[1] ?? '')
      if (found === undefined || !content || type === undefined) return undefined
      try {
        return {
          ...(await zip.add(found, counted(content(), onBytes), { store: true, at })),
          content_type: type,
        }
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        context.log('a file of the earlier attempt is damaged, and fetched again')
        return undefined
      }
    },
  }
}
