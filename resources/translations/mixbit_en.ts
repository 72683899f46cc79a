<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en_US" sourcelanguage="en_US">
<context>
    <name>BulkBar</name>
    <message numerus="yes">
        <source>%n kernel(s) selected</source>
        <translation>
            <numerusform>%n kernel selected</numerusform>
            <numerusform>%n kernels selected</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ChangesView</name>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n kernel</numerusform>
            <numerusform>%n kernels</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>CompareView</name>
    <message numerus="yes">
        <source>%n dead in B</source>
        <translation>
            <numerusform>%n dead in B</numerusform>
            <numerusform>%n dead in B</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n distinct value(s) in B</source>
        <translation>
            <numerusform>%n distinct value in B</numerusform>
            <numerusform>%n distinct values in B</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n value(s)</source>
        <translation>
            <numerusform>%n value</numerusform>
            <numerusform>%n values</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s) without a tensor</source>
        <translation>
            <numerusform>%n kernel without a tensor</numerusform>
            <numerusform>%n kernels without a tensor</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ContextBar</name>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n kernel</numerusform>
            <numerusform>%n kernels</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n warning(s)</source>
        <translation>
            <numerusform>%n warning</numerusform>
            <numerusform>%n warnings</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s) differ from before</source>
        <translation>
            <numerusform>%n kernel differs from before</numerusform>
            <numerusform>%n kernels differ from before</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DataDialog</name>
    <message numerus="yes">
        <source>Samples in use · %n warning(s)</source>
        <translation>
            <numerusform>Samples in use · %n warning</numerusform>
            <numerusform>Samples in use · %n warnings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FilterBar</name>
    <message numerus="yes">
        <source>%n kind(s)</source>
        <translation>
            <numerusform>%n kind</numerusform>
            <numerusform>%n kinds</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FitDialog</name>
    <message numerus="yes">
        <source>Device fitted to %n measured kernel(s)</source>
        <translation>
            <numerusform>Device fitted to %n measured kernel</numerusform>
            <numerusform>Device fitted to %n measured kernels</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FixBox</name>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n kernel</numerusform>
            <numerusform>%n kernels</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FusionDialog</name>
    <message numerus="yes">
        <source>%n pattern(s) did not fuse</source>
        <translation>
            <numerusform>%n pattern did not fuse</numerusform>
            <numerusform>%n patterns did not fuse</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>GraphView</name>
    <message numerus="yes">
        <source>%n found</source>
        <translation>
            <numerusform>%n found</numerusform>
            <numerusform>%n found</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>HistoryView</name>
    <message numerus="yes">
        <source>%n edit(s)</source>
        <translation>
            <numerusform>%n edit</numerusform>
            <numerusform>%n edits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n kernel</numerusform>
            <numerusform>%n kernels</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>JitterView</name>
    <message numerus="yes">
        <source>%n inference(s)</source>
        <translation>
            <numerusform>%n inference</numerusform>
            <numerusform>%n inferences</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>JobsView</name>
    <message numerus="yes">
        <source>%n running</source>
        <translation>
            <numerusform>%n running</numerusform>
            <numerusform>%n running</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Kernel</name>
    <message numerus="yes">
        <source>on %n sample(s)</source>
        <translation>
            <numerusform>on %n sample</numerusform>
            <numerusform>on %n samples</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>KernelView</name>
    <message numerus="yes">
        <source>%n ONNX node(s)</source>
        <translation>
            <numerusform>%n ONNX node</numerusform>
            <numerusform>%n ONNX nodes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Saves %n launch(es), {0} in each run.</source>
        <translation>
            <numerusform>Saves %n launch, {0} in each run.</numerusform>
            <numerusform>Saves %n launches, {0} in each run.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LayersView</name>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n kernel</numerusform>
            <numerusform>%n kernels</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>LogView</name>
    <message numerus="yes">
        <source>%n error(s)</source>
        <translation>
            <numerusform>%n error</numerusform>
            <numerusform>%n errors</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Measured</name>
    <message numerus="yes">
        <source>%n operator(s) of no kernel, {time}</source>
        <translation>
            <numerusform>%n operator of no kernel, {time}</numerusform>
            <numerusform>%n operators of no kernel, {time}</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n kernel(s) not measured</source>
        <translation>
            <numerusform>%n kernel not measured</numerusform>
            <numerusform>%n kernels not measured</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MeasuredView</name>
    <message numerus="yes">
        <source>%n inference(s)</source>
        <translation>
            <numerusform>%n inference</numerusform>
            <numerusform>%n inferences</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>MethodsDialog</name>
    <message numerus="yes">
        <source>%n other kernel(s) share the scale and take the method too; at the output all count.</source>
        <translation>
            <numerusform>%n other kernel shares the scale and takes the method too; at the output all count.</numerusform>
            <numerusform>%n other kernels share the scale and take the method too; at the output all count.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ParetoView</name>
    <message numerus="yes">
        <source>%n edit(s) · click applies · Ctrl+click compares</source>
        <translation>
            <numerusform>%n edit · click applies · Ctrl+click compares</numerusform>
            <numerusform>%n edits · click applies · Ctrl+click compares</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PlansView</name>
    <message numerus="yes">
        <source>%n kept</source>
        <translation>
            <numerusform>%n kept</numerusform>
            <numerusform>%n kept</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PreflightView</name>
    <message numerus="yes">
        <source>%n finding(s)</source>
        <translation>
            <numerusform>%n finding</numerusform>
            <numerusform>%n findings</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Ranking</name>
    <message numerus="yes">
        <source>Apply %n edit(s)</source>
        <translation>
            <numerusform>Apply %n edit</numerusform>
            <numerusform>Apply %n edits</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RuleDialog</name>
    <message numerus="yes">
        <source>%n kernel(s) match</source>
        <translation>
            <numerusform>%n kernel matches</numerusform>
            <numerusform>%n kernels match</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n locked kernel(s) stay as they are</source>
        <translation>
            <numerusform>%n locked kernel stays as it is</numerusform>
            <numerusform>%n locked kernels stay as they are</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SchemeDialog</name>
    <message numerus="yes">
        <source>Scheme for %n kernel(s)</source>
        <translation>
            <numerusform>Scheme for %n kernel</numerusform>
            <numerusform>Scheme for %n kernels</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SearchForm</name>
    <message numerus="yes">
        <source>%n locked kernel(s) stay as they are</source>
        <translation>
            <numerusform>%n locked kernel stays as it is</numerusform>
            <numerusform>%n locked kernels stay as they are</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SearchView</name>
    <message numerus="yes">
        <source>Apply %n edit(s)</source>
        <translation>
            <numerusform>Apply %n edit</numerusform>
            <numerusform>Apply %n edits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n edit(s)</source>
        <translation>
            <numerusform>%n edit</numerusform>
            <numerusform>%n edits</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>{name} and %n more</source>
        <translation>
            <numerusform>{name} and %n more</numerusform>
            <numerusform>{name} and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sensitivity</name>
    <message numerus="yes">
        <source>click to apply to the %n selected · drag selects</source>
        <translation>
            <numerusform>click to apply to the %n selected · drag selects</numerusform>
            <numerusform>click to apply to the %n selected · drag selects</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SensitivityView</name>
    <message numerus="yes">
        <source>Not measured around this plan yet. Restore %n kernel(s) one at a time, all others as planned.</source>
        <translation>
            <numerusform>Not measured around this plan yet. Restore %n kernel, all others as planned.</numerusform>
            <numerusform>Not measured around this plan yet. Restore %n kernels one at a time, all others as planned.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Changes of the best class can only be measured: %n kernel(s) one at a time.</source>
        <translation>
            <numerusform>Changes of the best class can only be measured: %n kernel.</numerusform>
            <numerusform>Changes of the best class can only be measured: %n kernels one at a time.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Your own metric can only be measured: %n kernel(s) one at a time.</source>
        <translation>
            <numerusform>Your own metric can only be measured: one kernel.</numerusform>
            <numerusform>Your own metric can only be measured: %n kernels one at a time.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Estimating %n kernel(s) in every scheme…</source>
        <translation>
            <numerusform>Estimating %n kernel in every scheme…</numerusform>
            <numerusform>Estimating %n kernels in every scheme…</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SourceEditor</name>
    <message numerus="yes">
        <source>%n picture(s) found</source>
        <translation>
            <numerusform>%n picture found</numerusform>
            <numerusform>%n pictures found</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n NumPy file(s) found</source>
        <translation>
            <numerusform>%n NumPy file found</numerusform>
            <numerusform>%n NumPy files found</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n raw file(s) found</source>
        <translation>
            <numerusform>%n raw file found</numerusform>
            <numerusform>%n raw files found</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>StatusRow</name>
    <message numerus="yes">
        <source>output error from %n sample(s) in {time}</source>
        <translation>
            <numerusform>output error from %n sample in {time}</numerusform>
            <numerusform>output error from %n samples in {time}</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Summary</name>
    <message numerus="yes">
        <source>{0} of %n kernel(s) runs as FP16 here</source>
        <translation>
            <numerusform>{0} of %n kernel runs as FP16 here</numerusform>
            <numerusform>{0} of %n kernels runs as FP16 here</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n sample(s)</source>
        <translation>
            <numerusform>%n sample</numerusform>
            <numerusform>%n samples</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>All %n budget(s) met</source>
        <translation>
            <numerusform>The one budget is met</numerusform>
            <numerusform>All %n budgets met</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n budget(s) met, {0} being checked</source>
        <translation>
            <numerusform>%n budget met, {0} being checked</numerusform>
            <numerusform>%n budgets met, {0} being checked</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SummaryView</name>
    <message numerus="yes">
        <source>Raising %n kernel(s) was measured: {gain}, which is not enough; Search looks further.</source>
        <translation>
            <numerusform>Raising %n kernel was measured: {gain}, which is not enough; Search looks further.</numerusform>
            <numerusform>Raising %n kernels was measured: {gain}, which is not enough; Search looks further.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Sweeps</name>
    <message numerus="yes">
        <source>%n probe(s) a sample</source>
        <translation>
            <numerusform>%n probe a sample</numerusform>
            <numerusform>%n probes a sample</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TimelineView</name>
    <message numerus="yes">
        <source>%n kernel(s)</source>
        <translation>
            <numerusform>%n kernel</numerusform>
            <numerusform>%n kernels</numerusform>
        </translation>
    </message>
</context>
</TS>
