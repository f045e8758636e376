/** The links by which the readers of a channel acknowledge an incident. */
import { Effect } from "effect"
import { Links } from "../../src/links/Links.ts"
import type { AcknowledgeLink } from "../../src/notify/alert/RenderMessages.ts"
import { AcknowledgeTokens } from "../../src/store/incident/AcknowledgeTokens.ts"

export const makeAcknowledgeLinks = Effect.gen(function*() {
  const links = yield* Links
  const tokens = yield* AcknowledgeTokens
  const linkOf: AcknowledgeLink = (incidentId, channelId, { at }) =>
    links.acknowledge(tokens.make({ incidentId, recipient: channelId }, at))
  return linkOf
})
