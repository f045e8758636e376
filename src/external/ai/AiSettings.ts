/** The settings of AI: the provider, its address and its key. */
import type { Option, Redacted } from "effect"

export type AiProviderName = "anthropic" | "openai"

export interface AiSettings {
  readonly provider: AiProviderName
  /** None for a server that asks for no key. */
  readonly key: Option.Option<Redacted.Redacted>
  readonly model: string
  /** The base address as its owner wrote it. */
  readonly url: string
}

/** Defaults for missing settings. */
export const aiDefaults: Readonly<Record<AiProviderName, Pick<AiSettings, "model" | "url">>> = {
  anthropic: { model: "claude-sonnet-4-5", url: "https://api.anthropic.com" },
  openai: { model: "gpt-4.1-mini", url: "https://api.openai.com/v1" }
}

const withoutVersion = (url: string) => url.replace(/\/v1$/, "")

/** The base address, which ends with the version for OpenAI only. Owners write either; an address with a path is taken as it is. */
export const baseAddress = (provider: AiProviderName, url: string): string =>
  provider === "anthropic" ? withoutVersion(url) : new URL(url).pathname === "/" ? `${url}/v1` : url
