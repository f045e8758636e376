/** A check that made no connection, because others go first at an address. It is made when it gets a permit there. */
import { Data } from "effect"

export class AwaitsPermit extends Data.TaggedError("AwaitsPermit")<{ readonly address: string }> {
  override get message(): string {
    return `The check was not made: too many checks reach ${this.address} at a time. Try again in a few seconds.`
  }
}
