/**
 * Media that the previous attempt had fetched before a restart of the service cut it off. They are copied from its
 * archive and not fetched again.
 *
 * @module
 */
import { type Context, storedFiles, type Zip } from 'gleaner/plugin'
import { countBytes, type Downloaded, ENDINGS, type MediaFile } from './download.ts'

export type Earlier = {
  /** Copies a file from the earlier archive; undefined when the earlier archive does not contain all of it. */
  copy(zip: Zip, file: MediaFile): Promise<Downloaded | undefined>
}

const TYPES: ReadonlyMap<string, string> = new Map(
  Object.entries(ENDINGS).map(([type, ending]) => [ending, type]),
)

/** The media of the run's previous attempt; empty when there was none. */
export async function earlierOf(context: Context): Promise<Earlier> {
  const archive = await context.unfinished()
  const files = archive ? await storedFiles(archive) : new Map<string, () => AsyncGenerator<Uint8Array>>()
  const namesByStem = new Map([...files.keys()].map((name) => [name.replace(/\.\w+$/, ''), name]))
  return {
    async copy(zip, { name, at, onBytes }) {
      const fileName = namesByStem.get(name)
      const content = fileName === undefined ? undefined : files.get(fileName)
      const type = TYPES.get(/\.(\w+)$/.exec(fileName ?? '')?.[1] ?? '')
      if (fileName === undefined || !content || type === undefined) return undefined
      try {
        return {
          ...(await zip.add(fileName, countBytes(content(), onBytes), { store: true, at })),
          content_type: type,
        }
      } catch (error) {
        if (!(error instanceof RangeError)) throw error
        context.log('a file of the earlier attempt is damaged; fetching it again')
        return undefined
      }
    },
  }
}
