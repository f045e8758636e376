/** Why a runner gives up. */
import { Data } from "effect"
import type { MostInARow } from "../src/domain/health/RunnerPatience.ts"

/** The runner serves nothing although the database answers. */
export class RunnerStuck extends Data.TaggedError("RunnerStuck")<{ readonly why: keyof MostInARow; readonly seconds: number }> {
  override get message() {
    return (this.why === "hung"
      ? `The actors of this runner have not answered for ${this.seconds} s although the database does. `
      : `This runner has held no shard for ${this.seconds} s although the database answers and it should hold some. `) +
      "The runner stops, so that other runners take over; start it again."
  }
}
