/**
 * Several nodes on shared stores. One set of nodes for all, as their starts cost more than most of what they are asked;
 * the last of the files sets their event store back.
 *
 * @module
 */
import './across.ts'
import './hanging.ts'
import './restored.ts'
