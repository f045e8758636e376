/** Deliveries as short rows: the event, the time and the outcome. */
import type { Delivery } from "../../../../schema/alert/Delivery.ts"
import { Badge, type Tone } from "../../design/Parts.tsx"
import { Ago } from "../../design/Time.tsx"

const stages: Readonly<Record<Delivery["stage"], readonly [Tone, string]>> = {
  queued: ["calm", "Queued"],
  attempting: ["calm", "Sending"],
  retrying: ["warn", "Retrying"],
  delivered: ["good", "Delivered"],
  captured: ["warn", "Captured, not sent"],
  dead: ["bad", "Failed"]
}

export const DeliveryBadge = ({ stage }: { readonly stage: Delivery["stage"] }) => {
  const [tone, word] = stages[stage]
  return <Badge tone={tone}>{word}</Badge>
}

export const DeliveryRows = ({ deliveries }: { readonly deliveries: ReadonlyArray<Delivery> }) => (
  <ul class="rows">
    {deliveries.map(({ createdAt, error, eventType, id, stage }) => (
      <li id={`delivery-${id}`}>
        <div>
          <span class="mono">{eventType ?? "deleted event"}</span>
          {error === null ? null : <p class="note quoted">{error}</p>}
        </div>
        <span class="note">
          <Ago at={createdAt} />
        </span>
        <DeliveryBadge stage={stage} />
      </li>
    ))}
  </ul>
)
