import java.nio.file.Path;
import java.util.Map;
import org.elasticsearch.common.logging.LogConfigurator;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.env.Environment;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.PluginsLoader;

/** One Elasticsearch node: {@code NodeMain HOME name=value...}; it runs until its standard input ends. */
public final class NodeMain {
    public static void main(String[] arguments) throws Exception {
        LogConfigurator.registerErrorListener();
        Settings.Builder settings = Settings.builder().put("path.home", arguments[0]);
        for (int at = 1; at < arguments.length; at++) {
            String[] pair = arguments[at].split("=", 2);
            if (pair[1].contains(",")) {
                settings.putList(pair[0], pair[1].split(","));
            } else {
                settings.put(pair[0], pair[1]);
            }
        }
        Environment environment = InternalSettingsPreparer.prepareEnvironment(
            settings.build(), Map.of(), Path.of(arguments[0], "config"), () -> "node");
        LogConfigurator.configure(environment, true);
        PluginsLoader loader = PluginsLoader.createPluginsLoader(
            PluginsLoader.loadModulesBundles(environment.modulesDir()),
            PluginsLoader.loadPluginsBundles(environment.pluginsDir()),
            Map.of(),
            false);
        new Node(environment, loader).start();
        System.out.println("NODE STARTED");
        while (System.in.read() >= 0) {
            // whoever started the node holds the other end: if that dies, so does the node
        }
        System.exit(0);
    }
}
