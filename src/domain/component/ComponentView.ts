/** A component with its current status, without its push URL. */
import type { Component } from "../../../schema/component/Component.ts"

export type ComponentView = Omit<Component, "pushUrl">
