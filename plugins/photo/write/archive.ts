/**
 * The archive of an export: its files, and what is missing in it.
 *
 * @module
 */
import { type Context, createZip, type Zip, type ZipFile } from 'gleaner/plugin'
import type { Kind } from '../read/parsers/post.ts'
import { download, endingOf, type Missing } from './download.ts'
import { type Earlier, earlierOf } from './earlier.ts'

/** A file of the archive. */
export type FileEntry = {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  readonly content_type: string
  readonly post_id: string | null
}

/** Something that is missing in the archive. */
export type Fault = { readonly post_id: string | null; readonly file: string | null } & Missing

/** A file to add: its name within the folder of the profile, and the time that it gets. */
export type Entry = { readonly name: string; readonly post_id: string | null; readonly at: Date }

export class Archive {
  readonly files: FileEntry[] = []
  readonly errors: Fault[] = []

  private constructor(
    private readonly context: Context,
    private readonly zip: Zip,
    private readonly folder: string,
    private readonly earlier: Earlier,
    private readonly onBytes: (count: number) => void,
  ) {}

  /**
   * Creates an archive.
   *
   * @param folder the folder of all files
   * @param onBytes called with the size of each chunk of media that arrives, in bytes
   */
  static async create(
    context: Context,
    name: string,
    folder: string,
    onBytes: (count: number) => void,
  ): Promise<Archive> {
    const zip = createZip(await context.artifact(name, 'application/zip'))
    return new Archive(context, zip, folder, await earlierOf(context), onBytes)
  }

  /** Adds an image or a video. @param entry its name has no extension */
  async addMedia(url: string | null, kind: Kind, { name, post_id, at }: Entry): Promise<FileEntry | Missing> {
    const path = `${this.folder}/${name}`
    const file = { url, kind, name: path, at, onBytes: this.onBytes }
    const outcome =
      (await this.earlier.copy(this.zip, file)) ?? (await download(this.context, this.zip, file))
    if ('name' in outcome) return this.list(outcome, outcome.content_type, post_id)
    this.errors.push({ post_id, file: url === null ? null : `${path}.${endingOf(url, kind)}`, ...outcome })
    return outcome
  }

  /** Adds a text. */
  async addText(content: string | AsyncIterable<Uint8Array>, type: string, entry: Entry): Promise<void> {
    const { name, post_id, at } = entry
    this.list(await this.zip.add(`${this.folder}/${name}`, content, { at }), type, post_id)
  }

  /** Adds the manifest, which does not list itself, and closes the archive. */
  async close(manifest: string, at: Date): Promise<void> {
    await this.zip.add(`${this.folder}/manifest.json`, manifest, { at })
    await this.zip.close()
  }

  private list({ name, bytes, sha256 }: ZipFile, content_type: string, post_id: string | null): FileEntry {
    const entry = { path: name, bytes, sha256, content_type, post_id }
    this.files.push(entry)
    return entry
  }
}
