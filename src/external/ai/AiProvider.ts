/** The provider of AI texts; absent if none is configured. */
import { Context, type Effect } from "effect"
import type { Unavailable } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { AiPrompt } from "../../domain/ai/Prompts.ts"

/** The urgency of a call: `caller` if a caller waits for the answer. Callers go first. */
export type AiUrgency = "caller" | "background"

export interface AiProvider {
  /**
   * The model's answer. Workspaces share the provider fairly. Fails with `unavailable` if the provider refuses, fails, or has not
   * answered within 30 s, and when the process stops. Call it without a database connection.
   */
  readonly ask: (workspaceId: WorkspaceId, prompt: AiPrompt, urgency: AiUrgency) => Effect.Effect<string, Unavailable>
  /** Ends all calls: the process stops. */
  readonly close: Effect.Effect<void>
}

/** Null if no provider is configured: then AI fields are null, and operations that need AI are unavailable. */
export class Ai extends Context.Reference<Ai>()("belltower/Ai", {
  defaultValue: (): AiProvider | null => null
}) {}
