/** Whether a process may run tenants' code only where it can confine it. */
import { Option } from "effect"
import { isPublicUrl } from "../domain/access/PublicName.ts"
import type { Settings } from "./Settings.ts"

/**
 * Tenants are strangers at a public address; of a deployment with Kafka, a probe cannot know whom the interface serves. On a single
 * machine's own address, everybody who can create monitors is trusted.
 */
export const isIsolationRequired = ({ isolation, kafka }: Pick<Settings, "isolation" | "kafka">, baseUrl: string): boolean =>
  Option.match(isolation, {
    onNone: () => kafka.brokers.length > 0 || isPublicUrl(baseUrl),
    onSome: (wanted) => wanted === "required"
  })
