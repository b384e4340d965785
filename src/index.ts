/**
 * The library: the stages of the pipeline, each usable by itself. Manifests are read and compiled to a desired state
 * (`readProject`, `compile`), the service is read (`createApi`, `readLive`), both make a plan (`makePlan`), and a plan is
 * shown (`planText`, `planMarkdown`) or carried out (`checkFresh`, `applyPlan`, `reportText`).
 */

export { type ApiOptions, createApi } from './api/client.ts';
export { SYSTEM_CLOCK, SYSTEM_RANDOM } from './api/clock.ts';
export { createHttpTransport, type HttpTransportOptions } from './api/http.ts';
export type { ApplyDeps } from './apply/deps.ts';
export { applyPlan } from './apply/execute.ts';
export { checkFresh } from './apply/fresh.ts';
export { manifestOf, writtenManifest } from './desired/as-manifest.ts';
export { type CompileInput, type CompileResult, compile } from './desired/compile.ts';
export {
  compareStates,
  type ResourceDifference,
  type StateDifference,
} from './desired/difference.ts';
export { type ProjectResult, type ProjectSettings, readProjectSettings } from './desired/project.ts';
export type { DesiredLabel, DesiredState, DesiredTask, DesiredTemplate } from './desired/state.ts';
export { CODES, type DiagnosticCode } from './diagnostics/codes.ts';
export { CommandFailure, type Diagnostic, type Location } from './diagnostics/diagnostic.ts';
export { type CommitNote, History, type HistoryRequest, type PastProject } from './files/history.ts';
export { type CompileRequest, type Project, type ProjectRequest, readProject } from './files/project.ts';
export { openRepository, type Repository, type Revision, readProjectAt } from './files/revision.ts';
export { type ReadOptions, type ReadResult, readLive } from './live/read.ts';
export { Source } from './manifest/source.ts';
export { type Address, formatAddress, parseAddress } from './model/address.ts';
export type { DriftClass, DriftItem, DriftReport } from './model/generated/drift.ts';
export type { Change, Field, Observation, Operation, Plan } from './model/generated/plan.ts';
export type { ReleasedTask, ReleaseReport } from './model/generated/release.ts';
export type { ApplyReport, ChangeResult } from './model/generated/report.ts';
export type { StatusReport, StatusRow } from './model/generated/status.ts';
export type { SwitchedTask, SwitchReport } from './model/generated/switch.ts';
export { type Collection, KINDS, type Kind } from './model/kind.ts';
export { formatRemark, type Marker, parseRemark, type Remark } from './model/marker.ts';
export type { Account, LiveLabel, LiveState, LiveTask, LiveTemplate } from './model/resource.ts';
export { DRIFT_CLASSES, type DriftPolicy } from './plan/drift/classes.ts';
export { type DriftEnd, type DriftInput, DriftSearch } from './plan/drift/drift.ts';
export { type Guardrails, NO_GUARDRAILS, type Policy } from './plan/guardrails/guardrails.ts';
export type { PlanInput, PlanOptions } from './plan/input.ts';
export { isEmptyPlan, isRefused, makePlan } from './plan/plan.ts';
export type { Api, Outcome, WriteRequest } from './ports/api.ts';
export type { Clock, Random } from './ports/clock.ts';
export type { Progress, ProgressEvent } from './ports/output.ts';
export { type HttpRequest, type HttpResponse, type Transport, TransportError } from './ports/transport.ts';
export { type DifferenceView, differenceText } from './render/difference-text.ts';
export { driftMarkdown } from './render/drift-markdown.ts';
export { driftText } from './render/drift-text.ts';
export { manifestsYaml, type YamlManifest } from './render/manifest-yaml.ts';
export { planMarkdown } from './render/plan-markdown.ts';
export { planText, type TextOptions } from './render/plan-text.ts';
export { reportText } from './render/report-text.ts';
export { statusRows } from './render/status-rows.ts';
export { statusText } from './render/status-text.ts';
export { switchText } from './render/switch-text.ts';
