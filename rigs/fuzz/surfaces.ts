/** All surfaces, each with its share of the cases. */
import { openConsole } from './console.ts'
import { openCursors } from './cursors.ts'
import { openHttp } from './http.ts'
import { openInputs } from './inputs.ts'
import { openSignatures } from './signatures.ts'
import { openSources } from './sources.ts'
import type { Surface } from './surface.ts'
import { openWire } from './wire.ts'

export const SURFACES: readonly Surface[] = [
  { name: 'sources', share: 0.2, reaches: ['items', 'no items', 'source-changed'], open: openSources },
  { name: 'http', share: 0.3, reaches: ['200', '202', '400', '401', '404', '422'], open: openHttp },
  { name: 'console', share: 0.1, reaches: ['200', '303', '404', '422'], open: openConsole },
  { name: 'wire', share: 0.1, reaches: ['succeeded', 'failed', 'stopped', 'defect'], open: openWire },
  { name: 'inputs', share: 0.1, reaches: ['accepted', 'refused'], open: openInputs },
  { name: 'cursors', share: 0.1, reaches: ['200', '422'], open: openCursors },
  { name: 'signatures', share: 0.1, reaches: ['taken', 'refused'], open: openSignatures },
]
