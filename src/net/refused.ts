/**
 * Apart from what throws it, which needs modules that are loaded late.
 *
 * @module
 */

/** A host is, or its name leads to, an address that no connection may go to. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
  constructor(readonly host: string) {
    super(`${host} resolves to an address that is not public`)
  }
}
