/**
 * Plays the part of the service in a dry run: limits the request rate, collects the files, and accepts every charge.
 *
 * @module
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServedPages } from '../../src/browser/host/served-pages.ts'
import type { PacedSource } from '../../src/net/pace.ts'
import type { RateLimiter, Release } from '../../src/net/rate-limiter.ts'
import type { OfRun } from '../../src/worker/process/from-child.ts'
import type { WorkerAnswer } from '../../src/worker/process/protocol.ts'

/** A file of the run that is complete, in the folder of its job. */
export type File = {
  readonly name: string
  readonly contentType: string
  readonly path: string
  readonly bytes: number
}

/** What a run reports while it is running. */
export type RunReport = OfRun & { readonly type: 'progress' | 'log' | 'again' }

export class Parent {
  readonly files: File[] = []
  /** further blocks of the price that a service would charge */
  readonly blocks = new Set<number>()
  /** requests that wait for the rate limiter or are under way, by the run's numbers */
  private readonly requests = new Map<number, Release>()

  /**
   * @param folder of the run's job
   * @param until the run's deadline, in milliseconds since 1970
   * @param answer sends an answer to the run
   */
  constructor(
    private readonly source: PacedSource,
    private readonly folder: string,
    private readonly until: number,
    private readonly pages: ServedPages,
    private readonly answer: (message: WorkerAnswer) => void,
    private readonly hear: (report: RunReport) => void,
    private readonly rateLimiter: RateLimiter,
  ) {}

  /** Handles a message of the run. */
  receive(message: OfRun): void {
    switch (message.type) {
      case 'acquire':
        this.acquire(message)
        return
      case 'release':
        this.requests.get(message.id)?.(message.pauseMs)
        this.requests.delete(message.id)
        return
      case 'file':
        void this.take(message)
        return
      case 'charge':
        this.blocks.add(message.block)
        this.answer({ type: 'charged', id: message.id, paid: true })
        return
      case 'page':
        void this.page(message)
        return
      case 'progress':
      case 'log':
      case 'again':
        this.hear(message)
    }
  }

  private acquire({ id, host }: OfRun & { readonly type: 'acquire' }): void {
    const go = (paused: boolean) => this.answer({ type: 'acquired', id, paused })
    this.requests.set(id, this.rateLimiter.ask(this.source, host, '', this.until - Date.now(), go))
  }

  private async page({ id, page, call }: OfRun & { readonly type: 'page' }): Promise<void> {
    this.answer({ type: 'paged', id, answer: await this.pages.answer(page, call) })
  }

  private async take({ id, name, contentType }: OfRun & { readonly type: 'file' }): Promise<void> {
    const path = join(this.folder, String(id))
    try {
      const { size } = await stat(path)
      this.files.push({ name, contentType, path, bytes: size })
      this.answer({ type: 'filed', id, error: null })
    } catch (error) {
      this.answer({ type: 'filed', id, error: (error as Error).message })
    }
  }
}
