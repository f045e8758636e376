/** Where callers reach the installation, by its settings. */
import { Option } from "effect"
import { withoutTrailing } from "../domain/tools/text/TrimText.ts"
import type { Settings } from "./Settings.ts"

/** The address of the installation, without a slash at its end. */
export const baseUrlOf = ({ baseUrl, port }: Pick<Settings, "baseUrl" | "port">): string =>
  withoutTrailing(Option.getOrElse(baseUrl, () => `http://localhost:${port}`), "/")
