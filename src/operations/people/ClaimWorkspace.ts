/** Makes a person the owner of a workspace that an agent created, through its claim link. */
import { Effect } from "effect"
import { Conflict, NotFound } from "../../../schema/Errors.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import { WorkspaceEntry } from "../../store/workspace/WorkspaceEntry.ts"
import { foundOr } from "../NoSuch.ts"
import { makeEnterWorkspace } from "./EnterWorkspace.ts"

const noClaim = new NotFound({
  message: "This claim link is invalid, or its workspace was deleted because it was not claimed in time",
  hint: "Ask the person or agent who sent you the link for a new one"
})

const claimedAlready = new Conflict({
  message: "This workspace has already been claimed",
  hint: "Ask its owner for an invitation"
})

export class ClaimWorkspace extends Effect.Service<ClaimWorkspace>()("belltower/ClaimWorkspace", {
  effect: Effect.gen(function*() {
    const entry = yield* WorkspaceEntry
    const entering = yield* makeEnterWorkspace

    const look = Effect.fn("ClaimWorkspace.look")((token: string) => foundOr(entry.claimAt(token), () => noClaim))

    const claim = Effect.fn("ClaimWorkspace.claim")(function*(person: PersonIdentity, token: string) {
      if ((yield* look(token)).claimed) return yield* claimedAlready
      return yield* foundOr(entering(person, "claim_workspace", entry.claim(token, person.userId)), () => claimedAlready)
    })

    return { look, claim }
  })
}) {}
