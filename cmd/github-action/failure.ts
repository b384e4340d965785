/** Ends the step with this code (DESIGN 1) and one annotation. */
export class ActionFailure extends Error {
  readonly exitCode: number;
  readonly hint: string | undefined;

  constructor(exitCode: number, message: string, hint?: string) {
    super(message);
    this.name = 'ActionFailure';
    this.exitCode = exitCode;
    this.hint = hint;
  }
}
