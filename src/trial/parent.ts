/**
 * The service's side of one run that is executed in this process: it keeps the pace, takes the files, and pays for all.
 *
 * @module
 */
import { stat } from 'node:fs/promises'
import type { ServedPages } from '../browser/served.ts'
import { Paces } from '../worker/pace.ts'
import { type Paced, Permits } from '../worker/permits.ts'
import type { FromChild, ToChild } from '../worker/protocol.ts'

/** A file that the run has closed; it lies in the folder of its job. */
export type File = {
  readonly name: string
  readonly contentType: string
  readonly path: string
  readonly bytes: number
}

/** What a run tells while it goes on. */
export type Told = FromChild & { readonly type: 'progress' | 'log' | 'again' }

type Answer = ToChild & { readonly type: 'go' | 'filed' | 'charged' | 'paged' }
type Closed = FromChild & { readonly type: 'file' }

export class Parent {
  readonly files: File[] = []
  /** further blocks of the price that a service would have charged */
  readonly blocks = new Set<number>()
  private readonly paces = new Paces()
  private readonly permits: Permits

  /**
   * @param until milliseconds since 1970: when the run is out of time
   * @param answer takes the answers to what the run asks for
   */
  constructor(
    source: Paced,
    until: number,
    private readonly pages: ServedPages,
    private readonly answer: (message: Answer) => void,
    private readonly hear: (told: Told) => void,
  ) {
    this.permits = new Permits(this.paces, source, until, answer)
  }

  /** Takes what the run says. */
  receive(said: FromChild): void {
    switch (said.type) {
      case 'ask':
        this.permits.ask(said.id, said.host)
        return
      case 'over':
        this.permits.over(said.id, said.pauseMs)
        return
      case 'file':
        void this.take(said)
        return
      case 'charge':
        this.blocks.add(said.block)
        this.answer({ type: 'charged', id: said.id, paid: true })
        return
      case 'page':
        void this.page(said)
        return
      case 'progress':
      case 'log':
      case 'again':
        this.hear(said)
    }
  }

  /** The run is over. */
  async stop(): Promise<void> {
    this.paces.stop()
    await this.pages.close()
  }

  private async page({ id, page, call }: FromChild & { readonly type: 'page' }): Promise<void> {
    this.answer({ type: 'paged', id, answer: await this.pages.answer(page, call) })
  }

  private async take({ id, name, contentType, path }: Closed): Promise<void> {
    try {
      const { size } = await stat(path)
      this.files.push({ name, contentType, path, bytes: size })
      this.answer({ type: 'filed', id, error: null })
    } catch (error) {
      this.answer({ type: 'filed', id, error: (error as Error).message })
    }
  }
}
