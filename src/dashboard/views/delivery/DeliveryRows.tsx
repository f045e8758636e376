/** Deliveries as short rows: the event, the time and the outcome. */
import type { Delivery } from "../../../../schema/alert/Delivery.ts"
import { StateBadge, type Tone } from "../../design/Parts.tsx"
import { Ago } from "../../design/Time.tsx"

const stages: Readonly<Record<Delivery["stage"], readonly [Tone, string]>> = {
  queued: ["calm", "Queued"],
  attempting: ["calm", "Sending"],
  retrying: ["warn", "Retrying"],
  delivered: ["good", "Delivered"],
  captured: ["warn", "Captured, not sent"],
  dead: ["bad", "Failed"]
}

export const DeliveryBadge = ({ stage }: Pick<Delivery, "stage">) => <StateBadge of={stages[stage]} />

export const DeliveryEvent = ({ of: { error, eventType } }: { readonly of: Delivery }) => (
  <>
    <span class="mono">{eventType ?? "deleted event"}</span>
    {error === null ? null : <p class="note quoted">{error}</p>}
  </>
)

export const DeliveryRows = ({ deliveries }: { readonly deliveries: ReadonlyArray<Delivery> }) => (
  <ul class="rows">
    {deliveries.map((delivery) => (
      <li id={`delivery-${delivery.id}`}>
        <div>
          <DeliveryEvent of={delivery} />
        </div>
        <span class="note">
          <Ago at={delivery.createdAt} />
        </span>
        <DeliveryBadge stage={delivery.stage} />
      </li>
    ))}
  </ul>
)
