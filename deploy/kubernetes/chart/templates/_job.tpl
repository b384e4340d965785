{{- define "tradeform.labels" -}}
app.kubernetes.io/name: tradeform
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* An Indexed Job over the shards of a command: (dict "root" $ "command" "drift" "given" .Values.drift "revision" "main"). */}}
{{- define "tradeform.job" -}}
{{- $values := .root.Values }}
{{- $shards := int .given.shards }}
{{- /* The last index merges the documents of the others; a single shard has nothing to merge. */}}
{{- $indexes := ternary (add $shards 1) 1 (gt $shards 1) -}}
completionMode: Indexed
completions: {{ $indexes }}
parallelism: {{ $indexes }}
backoffLimitPerIndex: {{ $values.retries }}
# Never two pods of one shard at the same time.
podReplacementPolicy: Failed
podFailurePolicy:
  rules:
    # A node that is drained is no failure.
    - action: Ignore
      onPodConditions:
        - { type: DisruptionTarget, status: "True" }
    # tradeform has ended by itself, and its report says what happened. A pod that was killed is run again.
    - action: FailIndex
      onExitCodes: { containerName: tradeform, operator: In, values: [1, 2, 3, 4] }
activeDeadlineSeconds: {{ add $values.deadline 900 }}
template:
  metadata:
    labels:
      {{- include "tradeform.labels" .root | nindent 6 }}
  spec:
    restartPolicy: Never
    automountServiceAccountToken: false
    enableServiceLinks: false
    terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
    securityContext:
      runAsNonRoot: true
      runAsUser: 1000
      runAsGroup: 1000
      fsGroup: 1000
      seccompProfile: { type: RuntimeDefault }
    {{- if $values.git.repository }}
    initContainers:
      - name: git
        image: {{ $values.image | quote }}
        command: [sh, -euc]
        args:
          - |
            git init -q /work/repo
            cd /work/repo
            git fetch -q -- "$REPOSITORY" "$REVISION"
            git checkout -q --detach FETCH_HEAD
        env:
          - { name: HOME, value: /tmp }
          - { name: REPOSITORY, value: {{ $values.git.repository | quote }} }
          - { name: REVISION, value: {{ .revision | quote }} }
          {{- if $values.git.deployKey }}
          - name: GIT_SSH_COMMAND
            value: >-
              ssh -i /run/secrets/git/ssh-privatekey -o IdentitiesOnly=yes
              -o StrictHostKeyChecking=yes -o UserKnownHostsFile=/run/secrets/git/known_hosts
          {{- end }}
        {{- include "tradeform.confined" . | nindent 8 }}
        volumeMounts:
          - { name: work, mountPath: /work }
          - { name: tmp, mountPath: /tmp }
          {{- if $values.git.deployKey }}
          - { name: git, mountPath: /run/secrets/git, readOnly: true }
          {{- end }}
    {{- end }}
    containers:
      - name: tradeform
        image: {{ $values.image | quote }}
        command: [sh, -euc]
        args:
          - |
            run="/results/$JOB_NAME.$JOB_UID"
            # Reports of former Jobs and nothing else; what cannot be deleted stops no run.
            expire() { find /results -mindepth 1 -maxdepth 1 -name '*.*-*-*-*-*' -mtime +{{ $values.results.keepDays }} -exec rm -rf {} + || true; }
            {{- if gt $shards 1 }}
            shards="$run/shards"
            mkdir -p "$shards"
            if [ "$JOB_COMPLETION_INDEX" = {{ $shards }} ]; then
              # Waits for the document of every shard; one that was interrupted (130) runs again.
              trap 'exit 143' TERM
              end=$(($(date +%s) + {{ $values.deadline }}))
              until [ "$(grep -sL '^  "exit_code": 130' "$shards"/*.json | wc -l)" -ge {{ $shards }} ]; do
                if [ "$(date +%s)" -ge "$end" ]; then break; fi
                sleep 2 & wait $!
              done
              expire
              tradeform fleet merge "$shards" --run "$JOB_UID" --report "json=$run/fleet.json" --report "markdown=$run/fleet.md" && exit
              code=$?
              # A shard was interrupted, and the deadline is over: merged again it would be the same.
              if [ "$code" = 130 ]; then exit 1; fi
              exit "$code"
            fi
            report="$shards/$JOB_COMPLETION_INDEX.json"
            rm -f "$report"
            set -- --shard job/{{ $shards }} --run "$JOB_UID" --report "json=$report" "$@"
            {{- else }}
            mkdir -p "$run"
            expire
            set -- --report "json=$run/fleet.json" --report "markdown=$run/fleet.md" "$@"
            {{- end }}
            exec tradeform fleet {{ .command }} --fleet /etc/tradeform/fleet.yaml "$@"
          - tradeform
          {{- range .options }}
          - {{ . | quote }}
          {{- end }}
          {{- range .given.args }}
          - {{ . | quote }}
          {{- end }}
        env:
          - { name: HOME, value: /tmp }
          - name: JOB_NAME
            valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/job-name']" } }
          - name: JOB_UID
            valueFrom: { fieldRef: { fieldPath: "metadata.labels['batch.kubernetes.io/controller-uid']" } }
        workingDir: /work
        {{- include "tradeform.confined" . | nindent 8 }}
        # The end of the report, in `kubectl describe pod`.
        terminationMessagePolicy: FallbackToLogsOnError
        volumeMounts:
          {{- if $values.git.repository }}
          - { name: work, mountPath: /work, readOnly: true }
          {{- end }}
          - { name: tmp, mountPath: /tmp }
          - { name: fleet, mountPath: /etc/tradeform, readOnly: true }
          - { name: tokens, mountPath: /run/secrets/tokens, readOnly: true }
          - { name: results, mountPath: /results }
    volumes:
      {{- if $values.git.repository }}
      - { name: work, emptyDir: {} }
      {{- end }}
      - { name: tmp, emptyDir: {} }
      - { name: fleet, configMap: { name: {{ $values.fleet | quote }} } }
      - { name: tokens, secret: { secretName: {{ $values.tokens | quote }}, defaultMode: 256 } }
      {{- if and $values.git.repository $values.git.deployKey }}
      - { name: git, secret: { secretName: {{ $values.git.deployKey | quote }}, defaultMode: 256 } }
      {{- end }}
      - { name: results, persistentVolumeClaim: { claimName: {{ .root.Release.Name }}-results } }
{{- end }}

{{- define "tradeform.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources:
  {{- toYaml .root.Values.resources | nindent 2 }}
{{- end }}
